import Foundation

/// PipeWire's graph at one moment, from `pw-dump`.
public struct AudioGraph: Sendable {
    public struct Node: Hashable, Sendable {
        public let id: Int
        public let name: String
        public let mediaClass: String
        /// `running`, `idle`, `suspended`, `creating` or `error`.
        public let state: String
        /// Inputs and outputs; the session manager gives them to a node.
        public let ports: Int
        public let properties: [String: String]
        /// Nil if it cannot be muted.
        public let isMuted: Bool?
    }

    public let nodes: [Node]
    /// From a node's ID to the IDs of the nodes that it feeds.
    public let links: [Int: Set<Int>]
    /// For each link, the fed node, the client that made the link, and its serial number, which is used once.
    private let allLinks: [(input: Int, client: String, serial: String)]

    /// The `client.id` of each connection of the session manager.
    private let sessionManagers: Set<String>

    init(json: String) throws {
        let objects = try JSONDecoder().decode([Object].self, from: Data(json.utf8))
        let clients = objects.filter { $0.type == "PipeWire:Interface:Client" }
        sessionManagers = Set(
            clients.filter { $0.info?.props?["application.name"]?.text?.hasPrefix("WirePlumber") ?? false }
                .map { "\($0.id)" })
        nodes = objects.compactMap { object in
            guard object.type == "PipeWire:Interface:Node", let info = object.info else { return nil }
            let properties = info.props?.compactMapValues(\.text) ?? [:]
            return Node(
                id: object.id, name: properties["node.name"] ?? "",
                mediaClass: properties["media.class"] ?? "", state: info.state ?? "",
                ports: (info.inputs ?? 0) + (info.outputs ?? 0), properties: properties,
                isMuted: info.params?.controls?.lazy.compactMap(\.mute).first)
        }
        var links: [Int: Set<Int>] = [:]
        for object in objects {
            guard let output = object.info?.output, let input = object.info?.input else { continue }
            links[output, default: []].insert(input)
        }
        self.links = links
        allLinks = objects.compactMap { object in
            guard let info = object.info, let input = info.input else { return nil }
            return (input, info.props?["client.id"]?.text ?? "", info.props?["object.serial"]?.text ?? "")
        }
    }

    /// The `client.id` of each link that feeds the nodes with this name.
    public func linkClients(feeding name: String) -> [String] {
        let nodes = Set(nodes(named: name).map(\.id))
        return allLinks.filter { nodes.contains($0.input) }.map(\.client)
    }

    /// The serial numbers of the links that feed the nodes with this name.
    /// - Parameter bySessionManager: only its links.
    public func links(feeding name: String, bySessionManager: Bool = false) -> Set<String> {
        let nodes = Set(nodes(named: name).map(\.id))
        let links = allLinks.filter { link in
            nodes.contains(link.input) && (!bySessionManager || sessionManagers.contains(link.client))
        }
        return Set(links.map(\.serial))
    }

    public func nodes(named name: String) -> [Node] { nodes.filter { $0.name == name } }

    /// Whether a node with one name feeds a node with the other.
    public func links(_ output: String, to input: String) -> Bool {
        let inputs = Set(nodes(named: input).map(\.id))
        return nodes(named: output).contains { !(links[$0.id] ?? []).isDisjoint(with: inputs) }
    }

    private struct Object: Decodable {
        var id: Int
        var type: String
        var info: Info?
    }

    private struct Info: Decodable {
        var state: String?
        var props: [String: Value]?
        var inputs: Int?
        var outputs: Int?
        var params: Parameters?
        /// Of a link.
        var output: Int?
        var input: Int?

        enum CodingKeys: String, CodingKey {
            case state, props, params
            case inputs = "n-input-ports"
            case outputs = "n-output-ports"
            case output = "output-node-id"
            case input = "input-node-id"
        }
    }

    private struct Parameters: Decodable {
        var controls: [Controls]?

        enum CodingKeys: String, CodingKey {
            case controls = "Props"
        }
    }

    private struct Controls: Decodable {
        var mute: Bool?
    }

    /// A value of any type; strings, numbers and booleans are kept as text.
    private struct Value: Decodable {
        var text: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(String.self) {
                text = value
            } else if let value = try? container.decode(Bool.self) {
                text = "\(value)"
            } else if let value = try? container.decode(Int.self) {
                text = "\(value)"
            }
        }
    }
}
