public import EventLoop

/// Makes and removes the files of a folder where this process may not. Called on the thread that writes the recording, which
/// waits.
public protocol RecordingLender: Sendable {
    /// Whether files can be made in this folder, as far as this can be known without making one.
    func check(_ folder: Descriptor) throws(RecordingError)

    /// Makes a new file, empty or with a header.
    func create(
        in folder: Descriptor, prefix: String, number: Int
    ) throws(RecordingError) -> (name: String, file: Descriptor)

    /// Removes a file, unless it has changed.
    func remove(_ file: RecordingFile, in folder: Descriptor) throws(RecordingError)
}
