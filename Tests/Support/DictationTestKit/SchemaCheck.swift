import Foundation

/// Checks the JSON of `dictation-cli` against `packaging/dictation-cli.schema.json`.
public enum SchemaCheck {
    /// Throws unless each line is a value of a definition of the schema.
    public static func check(_ lines: String, against definition: String) async throws {
        let schema = repository.appending(path: "packaging/dictation-cli.schema.json").path
        let program = try ChildProcess(["/usr/bin/python3", "-c", script, schema, definition])
        try program.write(lines.hasSuffix("\n") ? lines : lines + "\n")
        program.closeInput()
        guard try await program.exitStatus() == .exited(0) else {
            throw TestFailure("\(definition): \(program.text(of: .errors).suffix(2000))\n\(lines)")
        }
    }

    private static let script = """
        import json, sys
        from jsonschema import Draft202012Validator
        schema = json.load(open(sys.argv[1]))
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator({"$ref": "#/$defs/" + sys.argv[2], "$defs": schema["$defs"]})
        count = 0
        for line in sys.stdin:
            validator.validate(json.loads(line))
            count += 1
        sys.exit(0 if count else "there is no line")
        """
}
