import Testing

@testable import DictationCore

/// What a user's history keeps, for how long, and what is erased first.
@Suite struct HistoryTests {
    private static let week = History.Settings(lifetime: .seconds(7 * 86_400), keepsSound: true)
    private static let editor = Identity(uid: 1000, kind: .executable, id: "/usr/bin/editor")
    private static let mail = Identity(uid: 1000, kind: .flatpak, id: "org.example.Mail")

    private static func text(
        _ text: String, block: BlockNumber = 1, session: UInt64 = 1, of identity: Identity = editor
    ) -> KeptText {
        KeptText(
            session: SessionID(rawValue: session), block: block, identity: identity, language: "en-US",
            engine: "fake", text: text)
    }

    @Test func nothingIsKeptUntilItIsTurnedOn() {
        var history = History()
        #expect(history.keep(Self.text("secret"), at: 100) == nil)
        history.use(Self.week, at: 101)
        #expect(history.keep(Self.text("kept"), at: 102) == 1)
        #expect(history.entries.map(\.text) == ["kept"])
    }

    @Test func whatIsLeftOfAnErasedTextDoesNotReturn() {
        var history = History(settings: Self.week)
        history.keep(Self.text("my pin is one"), at: 100)
        #expect(history.forget([1]) == 1)
        var rest = Self.text("my pin")
        rest.isRest = true
        #expect(history.keep(rest, at: 101) == nil)
        #expect(history.entries.isEmpty)
    }

    @Test func turningItOffErasesAll() {
        var history = History(settings: Self.week)
        history.keep(Self.text("kept"), frames: 16_000, at: 100)
        history.use(History.Settings(), at: 101)
        #expect(history.entries.isEmpty)
        #expect(history.nextExpiry == nil)
        // Its number is not used again.
        history.use(Self.week, at: 102)
        #expect(history.keep(Self.text("later"), at: 103) == 2)
    }

    @Test func textsAreErasedWhenTheirTimeIsOver() {
        var history = History(settings: Self.week)
        history.keep(Self.text("one"), at: 1000)
        history.keep(Self.text("two", block: 2), at: 2000)
        #expect(history.nextExpiry == Int64(1000 + 7 * 86_400))
        history.expire(at: 999 + 7 * 86_400)
        #expect(history.entries.map(\.text) == ["one", "two"])
        history.expire(at: 1000 + 7 * 86_400)
        #expect(history.entries.map(\.text) == ["two"])
        // A shorter time counts for what is there.
        history.use(History.Settings(lifetime: .seconds(3600)), at: 5600)
        #expect(history.entries.isEmpty)
    }

    @Test func aClockThatIsSetBackKeepsNothingForLonger() {
        var history = History(settings: Self.week)
        history.keep(Self.text("one"), at: 1_000_000)
        history.expire(at: 500)
        #expect(history.nextExpiry == Int64(500 + 7 * 86_400))
    }

    @Test func theOldestAreErasedBeyondTheLimits() {
        var history = History(settings: Self.week)
        for number in 1...UInt64(History.countLimit + 5) {
            history.keep(Self.text("t", block: number), at: 100)
        }
        #expect(history.entries.count == History.countLimit)
        #expect(history.entries.first?.id == 6)
        let long = String(repeating: "a", count: History.sizeLimit / 2 - 100)
        history.keep(Self.text(long, block: 9001), at: 100)
        history.keep(Self.text(long, block: 9002), at: 100)
        #expect(history.entries.reduce(0) { $0 + $1.text.utf8.count } <= History.sizeLimit)
        #expect(history.entries.last?.text == long)
        // What has no room at all is not kept.
        let huge = String(repeating: "b", count: History.sizeLimit + 1)
        #expect(history.keep(Self.text(huge, block: 9003), at: 100) == nil)
    }

    @Test func theOldestSoundIsErasedBeforeItsText() {
        var history = History(settings: Self.week)
        for block in 1...4 as ClosedRange<UInt64> {
            history.keep(Self.text("t\(block)", block: block), frames: History.frameLimit / 3, at: 100)
        }
        #expect(history.entries.map(\.text) == ["t1", "t2", "t3", "t4"])
        #expect(history.entries.map { $0.frames > 0 } == [false, true, true, true])
        history.use(History.Settings(lifetime: .seconds(86_400), keepsSound: false), at: 100)
        #expect(history.entries.allSatisfy { $0.duration == nil })
    }

    @Test func textThatWasTakenBackIsNotKept() {
        var history = History(settings: Self.week)
        history.keep(Self.text("one two"), at: 100)
        history.keep(Self.text("one"), at: 101)
        #expect(history.entries.map(\.text) == ["one"])
        history.keep(Self.text(""), at: 102)
        #expect(history.entries.isEmpty)
        // A block of another session is another text.
        history.keep(Self.text("again", session: 2), at: 103)
        #expect(history.entries.map(\.id) == [2])
    }

    @Test func recognisedAgainItKeepsTheFirstText() {
        var history = History(settings: Self.week)
        history.keep(Self.text("won"), at: 100)
        history.replace(1, by: "one", engine: "better", language: "en-GB")
        history.replace(1, by: "One.", engine: "best", language: "en-GB")
        #expect(history[1]?.text == "One.")
        #expect(history[1]?.original == "won")
        #expect(history[1]?.engine == "best")
        // What its session takes back later is another text.
        history.keep(Self.text(""), at: 101)
        #expect(history[1]?.text == "One.")
    }

    @Test func textsOfAnApplicationAreErasedWithItsPermission() {
        var history = History(settings: Self.week)
        history.keep(Self.text("mine"), at: 100)
        history.keep(Self.text("letter", session: 2, of: Self.mail), at: 100)
        history.forget(Self.mail)
        #expect(history.entries.map(\.text) == ["mine"])
        #expect(history.forget([1, 7]) == 1)
        #expect(history.entries.isEmpty)
    }

    @Test func pagesComeNewestFirst() {
        var history = History(settings: Self.week)
        for block in 1...5 as ClosedRange<UInt64> {
            history.keep(Self.text("t\(block)", block: block), at: 1)
        }
        #expect(history.last(2, before: nil).map(\.id) == [5, 4])
        #expect(history.last(2, before: 4).map(\.id) == [3, 2])
        #expect(history.last(9, before: 2).map(\.id) == [1])
    }

    @Test func itsFileHasAllOfIt() throws {
        var history = History(settings: Self.week)
        history.keep(Self.text("zwei\nZeilen 😀"), frames: 3, at: 100)
        history.keep(Self.text("letter", session: 2, of: Self.mail), at: 200)
        history.replace(2, by: "later", engine: "other", language: "de-DE")
        let contents = HistoryContents(history)
        let read = try #require(HistoryContents(contents.bytes, uid: 1000))
        #expect(!read.isDamaged)
        #expect(read.entries.map(\.text) == ["zwei\nZeilen 😀", "later"])
        #expect(read.entries.map(\.original) == [nil, "letter"])
        #expect(read.entries.map(\.identity) == [Self.editor, Self.mail])
        #expect(read.entries.map(\.frames) == [3, 0])
        #expect(read.entries.map(\.time) == [100, 200])
        #expect(read.lastID == 2)
    }

    @Test func aDamagedFileKeepsItsOtherTexts() throws {
        var history = History(settings: Self.week)
        for block in 1...3 as ClosedRange<UInt64> {
            history.keep(Self.text("text\(block)", block: block), at: 1)
        }
        let bytes = HistoryContents(history).bytes
        for position in bytes.indices {
            var damaged = bytes
            damaged[position] ^= 0x55
            let read = HistoryContents(damaged, uid: 1000)
            // Two bytes of one text cannot make another.
            #expect(
                read.map { Set($0.entries.map(\.text)).isSubset(of: ["text1", "text2", "text3"]) } ?? true)
            if position >= 16 { #expect(read?.isDamaged == true) }
            #expect(HistoryContents(Array(bytes.prefix(position)), uid: 1000)?.entries.count ?? 0 < 3)
        }
        #expect(HistoryContents([], uid: 1000) == nil)
    }
}

/// Which texts a session gives to the history.
@Suite struct KeptTextTests {
    private func kept(_ scenario: Scenario) -> [String] {
        scenario.effects.compactMap { if case .keep(let text) = $0 { text.text } else { nil } }
    }

    private func commit(
        _ text: String, block: BlockNumber, in session: SessionID, _ scenario: inout Scenario
    ) {
        scenario.say(text, in: session, block: block)
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(block, duration: 1)))
    }

    @Test func finalTextsAreKeptIfTheUserAllowsIt() {
        var scenario = Scenario()
        let session = scenario.listen {
            $0.mayKeepTexts = true
            $0.application = "org.example.Window"
        }
        commit("one", block: 1, in: session, &scenario)
        commit("", block: 2, in: session, &scenario)
        commit("two", block: 3, in: session, &scenario)
        #expect(kept(scenario) == ["one", "two"])
        #expect(
            scenario.effects.contains {
                if case .keep(let text) = $0 { text.application == "org.example.Window" } else { false }
            })
        var other = Scenario()
        let refused = other.listen()
        commit("one", block: 1, in: refused, &other)
        #expect(kept(other).isEmpty)
    }

    @Test func nothingIsKeptOfABlockThatWasSecretAtAnyTime() {
        var scenario = Scenario()
        let session = scenario.listen { $0.mayKeepTexts = true }
        commit("open", block: 1, in: session, &scenario)
        scenario.call(.keepTexts(false))
        scenario.say("pass", in: session, block: 2)
        scenario.call(.keepTexts(true))
        commit("word", block: 2, in: session, &scenario)
        commit("open again", block: 3, in: session, &scenario)
        scenario.call(.keepTexts(false))
        commit("secret", block: 4, in: session, &scenario)
        commit("secret too", block: 5, in: session, &scenario)
        #expect(kept(scenario) == ["open", "open again"])
    }

    @Test func aSessionThatIsSecretFromTheBeginningKeepsNothing() {
        var scenario = Scenario()
        let session = scenario.listen {
            $0.mayKeepTexts = true
            $0.keepsTexts = false
        }
        commit("secret", block: 1, in: session, &scenario)
        #expect(kept(scenario).isEmpty)
    }

    @Test func recognisedFilesAreNotKept() {
        var scenario = Scenario()
        let session = scenario.start {
            $0.mayKeepTexts = true
            $0.hasInput = true
        }
        scenario.handle(.recognition(session, .ready))
        commit("lecture", block: 1, in: session, &scenario)
        #expect(kept(scenario).isEmpty)
    }

    @Test func theSoundOfABlockIsDividedAtItsEnd() {
        var sounds = BlockSounds()
        sounds.append([Int16](repeating: 1, count: 100_000))
        // Silence before the first speech takes no room.
        sounds.speechBegan()
        sounds.append([Int16](repeating: 2, count: 16_000))
        sounds.end(1)
        sounds.append([Int16](repeating: 3, count: 100_000))
        sounds.end(2)
        let first = sounds.take(1)
        #expect(first.count == 48_000)
        #expect(first.last == 2)
        // Speech went on at the boundary: all of it belongs to the next block.
        #expect(sounds.take(2) == [Int16](repeating: 3, count: 100_000))
        #expect(sounds.take(2).isEmpty)
        sounds.append([Int16](repeating: 4, count: BlockSounds.blockLimit + 1))
        sounds.end(3)
        #expect(sounds.take(3).isEmpty)
        sounds.append([4])
        sounds.discard()
        sounds.end(5)
        #expect(sounds.take(5).isEmpty)
    }
}
