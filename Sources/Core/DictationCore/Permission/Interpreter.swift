/// Programs that run other programs. A decision about one counts for everything that it runs.
public enum Interpreter {
    /// The language of the programs that an executable runs; nil if it is an ordinary program.
    /// - Parameter path: the path of the executable.
    public static func language(ofProgramAt path: String) -> String? {
        let name = String(
            decoding: path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.reversed(), as: UTF8.self)
        return languages.first { name.wholeMatch(of: $0.pattern) != nil }?.language
    }

    private static var languages: [(pattern: Regex<Substring>, language: String)] {
        [
            (/(?:python|pypy)[\d.]*(?:-dbg|[a-z]?t?)/, "Python"), (/perl[\d.]*/, "Perl"),
            (/ruby[\d.]*/, "Ruby"),
            (/(?:node(?:js)?|gjs(?:-console)?|deno|bun|qjs)[\d.]*/, "JavaScript"), (/java/, "Java"),
            (/lua(?:jit)?[\d.-]*(?:beta\d*)?/, "Lua"), (/php[\d.]*(?:-cgi)?/, "PHP"),
            (/(?:ba|da|z|k|mk|tc|c|fi|a)?sh[\d.]*(?:-static)?|busybox/, "shell"),
            (/guile(?:-[\d.]+)?/, "Guile"),
            (/(?:tclsh|wish)[\d.]*/, "Tcl"), (/Rscript|R/, "R"), (/mono(?:-sgen)?|dotnet/, ".NET"),
            (/pwsh/, "PowerShell"), (/wine(?:64)?(?:-preloader)?/, "Windows"),
            (/electron[\d.]*/, "Electron"),
        ]
    }
}
