/// Lets a server recognise a second of silence. A server that starts may fail at that, for example with a version of a
/// library that it was not tried with.
enum EngineTrial {
    /// - Parameter python: of the server's virtual environment, which has the client of the Wyoming protocol.
    static func run(python: String, socket: String) throws(EngineSetupError) {
        guard Program.succeeds([python, "-c", program, "unix://\(socket)"]) else {
            throw EngineSetupError("The engine starts, but fails to recognise sound.")
        }
    }

    private static let program = """
        import asyncio, sys
        from wyoming.asr import Transcribe, Transcript
        from wyoming.audio import AudioChunk, AudioStart, AudioStop
        from wyoming.client import AsyncClient

        async def recognise():
            sound = AudioStart(16000, 2, 1), AudioChunk(16000, 2, 1, bytes(32000)), AudioStop()
            async with AsyncClient.from_uri(sys.argv[1]) as client:
                for message in Transcribe(), *sound:
                    await client.write_event(message.event())
                while answer := await client.read_event():
                    if Transcript.is_type(answer.type):
                        return
            sys.exit("The engine closed the connection.")

        asyncio.run(asyncio.wait_for(recognise(), 120))
        """
}
