/// What is left out of the text; also the values of the key `clean-up`.
package enum CleanUpStyle: String, CaseIterable, Sendable {
    case none
    /// Sounds of hesitation and repeated starts.
    case fillers
}
