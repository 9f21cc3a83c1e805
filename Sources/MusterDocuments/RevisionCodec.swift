package import MusterCore

/// The stored bytes of revisions, revision trees and lists of attachments.
extension ByteWriter {
    package mutating func put(_ revision: Revision) {
        put(number: revision.generation)
        switch revision.hash {
        case .digest(let high, let low):
            put(byte: 0)
            put(fixed: high)
            put(fixed: low)
        case .text(let text):
            put(byte: 1)
            put(text: text)
        }
    }

    /// Writes a revision tree: for each node its traits, its revision and the distance back to its parent.
    mutating func put(_ tree: RevisionTree) {
        put(varint: UInt64(tree.nodes.count))
        for (index, node) in tree.nodes.enumerated() {
            var traits: NodeTraits = []
            if node.isDeleted { traits.insert(.deleted) }
            if node.isKnown { traits.insert(.known) }
            if node.parent != nil { traits.insert(.child) }
            put(byte: traits.rawValue)
            put(node.revision)
            if let parent = node.parent { put(varint: UInt64(index - parent)) }
        }
    }

    /// Writes the list of a revision's attachments.
    mutating func put(_ attachments: [Attachment]) {
        put(varint: UInt64(attachments.count))
        for attachment in attachments {
            put(text: attachment.name)
            put(text: attachment.contentType)
            put(bytes: attachment.md5)
            put(bytes: attachment.key)
            put(signed: attachment.length)
            put(number: attachment.revisionPosition)
        }
    }

    private mutating func put(bytes: [UInt8]) {
        put(varint: UInt64(bytes.count))
        for byte in bytes { put(byte: byte) }
    }
}

extension ByteReader {
    package mutating func revision() throws(CodecError) -> Revision {
        let generation = try number()
        switch try byte() {
        case 0:
            let high = try fixed()
            return Revision(generation: generation, hash: .digest(high, try fixed()))
        case 1: return Revision(generation: generation, hash: .text(try text()))
        default: throw .malformed(offset: offset)
        }
    }

    mutating func revisionTree() throws(CodecError) -> RevisionTree {
        let count = try count(minimumBytes: 4)
        var nodes: [RevisionTree.Node] = []
        nodes.reserveCapacity(count)
        for index in 0..<count {
            let traits = NodeTraits(rawValue: try byte())
            let revision = try revision()
            var parent: Int?
            if traits.contains(.child) {
                guard let back = Int(exactly: try varint()), (1...max(1, index)).contains(back), back <= index else {
                    throw .malformed(offset: offset)
                }
                parent = index - back
            }
            nodes.append(
                .init(
                    revision: revision, parent: parent, isDeleted: traits.contains(.deleted),
                    isKnown: traits.contains(.known)))
        }
        guard let tree = RevisionTree(nodes: nodes) else { throw .malformed(offset: offset) }
        return tree
    }

    mutating func attachments() throws(CodecError) -> [Attachment] {
        var attachments: [Attachment] = []
        for _ in 0..<(try count(minimumBytes: 6)) {
            let name = try text()
            let contentType = try text()
            let md5 = try byteString()
            let key = try byteString()
            let length = try signed()
            attachments.append(
                Attachment(
                    name: name, contentType: contentType, md5: md5, key: key, length: length,
                    revisionPosition: try number()))
        }
        return attachments
    }

    private mutating func byteString() throws(CodecError) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<(try count(minimumBytes: 1)) { bytes.append(try byte()) }
        return bytes
    }
}

/// The flags of a stored node.
private struct NodeTraits: OptionSet {
    let rawValue: UInt8
    static let deleted = NodeTraits(rawValue: 1)
    static let known = NodeTraits(rawValue: 2)
    static let child = NodeTraits(rawValue: 4)
}

extension Revision {
    /// The revision's key in the table `bodies`: distinct for distinct revisions.
    var key: [UInt8] {
        var writer = ByteWriter()
        writer.put(self)
        return writer.bytes
    }
}
