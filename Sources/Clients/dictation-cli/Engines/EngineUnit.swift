/// The systemd unit of an engine: without network, without anybody's files but its own, and without a log, because
/// servers log what was said.
struct EngineUnit {
    let places: EnginePlaces
    let model: EngineModel
    let language: String
    /// Half of the processors.
    let threads: Int

    var arguments: [String] {
        [
            places.program, "--uri", "unix://\(places.socket)", "--model", model.argument, "--language",
            language,
            "--data-dir", places.models, "--cpu-threads", "\(threads)", "--compute-type", "int8",
            "--vad-filter", "--vad-threshold", "0.35", "--vad-min-speech-ms", "100", "--local-files-only",
        ]
    }

    /// Whether a unit can contain a path as it is.
    static func canContain(_ path: String) -> Bool {
        path.utf8.allSatisfy { $0 > 0x20 && !Array("\"%\\$:".utf8).contains($0) }
    }

    var text: String {
        let readable = ([places.folder] + model.paths).joined(separator: " ")
        return """
            # Written by "dictation-cli engines add \(places.kind.rawValue)".
            [Unit]
            Description=Speech recognition by \(places.kind.rawValue) for dictation
            Documentation=man:dictation-cli(1)

            [Service]
            Type=exec
            ExecStart=\(arguments.joined(separator: " "))
            RuntimeDirectory=dictation-engine-\(places.kind.rawValue)
            RuntimeDirectoryMode=0700
            # The server writes what was said to temporary files and to its output.
            Environment=TMPDIR=\(places.socketFolder) HF_HUB_OFFLINE=1 PYTHONDONTWRITEBYTECODE=1
            StandardOutput=null
            StandardError=null
            LimitCORE=0
            UMask=0077
            Restart=on-failure
            RestartSec=2
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

            [Install]
            WantedBy=default.target

            """
    }
}
