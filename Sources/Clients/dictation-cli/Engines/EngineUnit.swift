/// The systemd units of the engine: a socket, and a service that systemd starts for the first client. It has no network and
/// no files but its own.
struct EngineUnit {
    let places: EnginePlaces
    let program: EngineProgram
    let facts: EngineFacts
    let model: EngineModel

    var arguments: [String] {
        [
            facts.python, "-m", "dictation_engine", "serve", "--model", model.folder, "--name", facts.name,
            "--threads", "\(facts.threads)",
        ]
    }

    /// Whether a unit can contain a path as it is.
    static func canContain(_ path: String) -> Bool {
        path.utf8.allSatisfy { $0 > 0x20 && !Array("\"%\\$:".utf8).contains($0) }
    }

    /// The socket's unit.
    var socket: String {
        """
        # Written by "dictation-cli engines add \(places.kind.rawValue)".
        [Unit]
        Description=Socket of the speech recognition by \(places.kind.rawValue) for dictation
        Documentation=man:dictation-cli(1)

        [Socket]
        ListenStream=\(places.socket)
        SocketMode=0600
        DirectoryMode=0700
        RemoveOnStop=yes

        [Install]
        WantedBy=sockets.target

        """
    }

    /// The service's unit.
    var service: String {
        let readable = ([places.folder, program.folder] + model.paths).joined(separator: " ")
        return """
            # Written by "dictation-cli engines add \(places.kind.rawValue)". The socket starts it; it ends when it is idle.
            [Unit]
            Description=Speech recognition by \(places.kind.rawValue) for dictation
            Documentation=man:dictation-cli(1)
            Requires=\(places.socketUnitName)

            [Service]
            Type=exec
            ExecStart=\(arguments.joined(separator: " "))
            Environment=PYTHONPATH=\(program.folder) PYTHONDONTWRITEBYTECODE=1 MALLOC_ARENA_MAX=1
            StandardOutput=null
            LimitCORE=0
            UMask=0077
            Nice=5
            TasksMax=64
            MemoryMax=4G
            PrivateNetwork=yes
            RestrictAddressFamilies=AF_UNIX
            IPAddressDeny=any
            PrivateUsers=yes
            PrivateDevices=yes
            PrivateTmp=yes
            PrivateIPC=yes
            DevicePolicy=closed
            ProtectSystem=strict
            ProtectHome=tmpfs
            BindReadOnlyPaths=\(readable)
            ProtectProc=invisible
            ProtectClock=yes
            ProtectControlGroups=yes
            ProtectHostname=yes
            ProtectKernelModules=yes
            ProtectKernelTunables=yes
            CapabilityBoundingSet=
            AmbientCapabilities=
            NoNewPrivileges=yes
            KeyringMode=private
            LockPersonality=yes
            RestrictNamespaces=yes
            RestrictRealtime=yes
            RestrictSUIDSGID=yes
            RemoveIPC=yes
            SystemCallArchitectures=native
            SystemCallFilter=@system-service
            SystemCallFilter=~@privileged @resources
            SystemCallErrorNumber=EPERM

            """
    }
}
