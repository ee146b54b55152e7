import DictationCore
import Testing

@Suite struct InterpreterTests {
    @Test(arguments: [
        ("/usr/bin/python3.11", "Python"), ("/opt/pypy3.10", "Python"), ("/usr/bin/bash", "shell"),
        ("/bin/sh", "shell"), ("/bin/fish", "shell"), ("/usr/bin/busybox", "shell"),
        ("/usr/bin/node", "JavaScript"),
        ("/usr/bin/gjs-console", "JavaScript"), ("/home/a/.deno/bin/deno", "JavaScript"),
        ("/usr/bin/perl", "Perl"),
        ("/usr/bin/ruby3.1", "Ruby"), ("/usr/bin/luajit-2.1.0-beta3", "Lua"), ("/usr/bin/php8.2", "PHP"),
        ("/usr/lib/jvm/java-17/bin/java", "Java"), ("/usr/bin/tclsh8.6", "Tcl"), ("/usr/bin/dotnet", ".NET"),
        ("/usr/bin/wine64-preloader", "Windows"), ("/usr/lib/electron28/electron", "Electron"),
        ("python3", "Python"),
    ])
    func knowsInterpretersByTheNameOfTheirProgram(path: String, language: String) {
        #expect(Interpreter.language(ofProgramAt: path) == language)
    }

    @Test(arguments: [
        "/usr/bin/gedit", "/home/python3/editor", "/usr/bin/javascript-editor", "/usr/bin/ssh", "", "/",
    ])
    func anOrdinaryProgramHasNoLanguage(path: String) {
        #expect(Interpreter.language(ofProgramAt: path) == nil)
    }
}
