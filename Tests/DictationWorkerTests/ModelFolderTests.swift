import DictationConfiguration
import Recognition
import Testing

@Test func theConfiguredModelIsTheEnginesDefault() {
    #expect(Configuration().modelFolder == PocketSphinxEngine.debianModel)
}
