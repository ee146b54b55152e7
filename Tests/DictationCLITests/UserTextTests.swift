import Testing

@testable import dictation_cli

/// Texts for people, whose keys the catalogues have.
@Suite struct UserTextTests {
    @Test func aLiteralIsTheKeyWithAPlaceholderForEachValue() {
        let message: UserText = "\(3) of “\("a")” is 100 %"
        #expect(message.key == "%s of “%s” is 100 %%")
        #expect(message.description == "3 of “a” is 100 %")
        #expect(("50 % more" as UserText).description == "50 % more")
    }

    @Test func aTranslationNamesTheValuesInItsOwnOrder() {
        let message: UserText = "\("one") before \("two")"
        #expect(message.filled("%2$s nach %1$s") == "two nach one")
        #expect(message.filled("%s vor %s") == "one vor two")
        #expect(message.filled("100 %% %3$s") == "100 % ")
        #expect(("%s \("%s")" as UserText).description == "%s %s")
    }
}
