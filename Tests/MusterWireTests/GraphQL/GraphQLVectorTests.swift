import Foundation
import Testing

@testable import MusterWire

/// What the reference implementation says about random requests of the schema that is to be served:
/// Golden/GraphQL, written by Tests/Oracles/graphql_vectors.py.
struct GraphQLVectorTests {
    /// A golden file's lines, each an array of JSON.
    private func lines(_ name: String) throws -> [[JSONValue]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Golden/GraphQL/\(name).txt").standardizedFileURL
        return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map { line in
            try #require(try JSONValue(parsing: Array(line), depthLimit: 64).elements)
        }
    }

    /// The locations of each error, as the golden files write them.
    private func locations(_ errors: [GraphQLError]) -> [JSONValue] {
        errors.map { error in
            let places = error.locations.map { "\($0.line):\($0.column)" }.joined(separator: ",")
            return error.phase == .syntax ? "syntax \(places)" : places
        }
        .sorted().map(JSONValue.string)
    }

    @Test func `documents have the faults that the reference finds`() throws {
        let schema = try GraphQLSample.servedSchema()
        let lines = try lines("requests")
        #expect(lines.count == 2000)
        for line in lines {
            let query = try #require(line[0].string)
            var faults: [JSONValue] = []
            do {
                _ = try GraphQLRequest(query, schema: schema)
            } catch {
                faults = locations(error.errors)
            }
            #expect(faults == line[1].elements, "\(query)")
        }
    }

    @Test func `operations have the results that the reference gives`() async throws {
        let schema = try GraphQLSample.servedSchema()
        let lines = try lines("responses")
        #expect(lines.count == 200)
        for line in lines {
            let query = try #require(line[0].string)
            let result = try await result(
                GraphQLRequest(query, schema: schema), line[1].members ?? [], NumberResolver(system: schema.system))
            #expect(result.bytes.text == line[2].bytes.text, "\(query)")
        }
    }

    private func result(
        _ request: GraphQLRequest, _ variables: [JSONValue.Member], _ resolver: NumberResolver
    ) async -> JSONValue {
        let operation: GraphQLOperation
        do {
            operation = try GraphQLOperation(request, variables: variables)
        } catch {
            return .object([.init("refused", .array(locations(error.errors)))])
        }
        let response = await GraphQLExecutor(resolver).execute(operation, root: 1)
        let data = response.data ?? .null
        let nulls = Set(response.errors.map { null($0.path, in: data) }).sorted()
        return .object([.init("data", data), .init("nulls", .array(nulls.map(JSONValue.string)))])
    }

    /// The first null on a path. Which of several errors below it is reported is the executor's choice.
    private func null(_ path: [GraphQLError.PathElement], in data: JSONValue) -> String {
        var (taken, value) = ([String](), data)
        for step in path where value != .null {
            switch step {
            case .name(let name):
                taken.append(name)
                value = value[name] ?? .null
            case .index(let index):
                taken.append(String(index))
                value = value.elements?[index] ?? .null
            }
        }
        return taken.joined(separator: "/")
    }
}

/// Resolves fields as graphql_reference.py does. An object is a number, and the value of a field follows from a number
/// too: that of its object, the field's name and the arguments.
private struct NumberResolver: GraphQLResolver {
    let system: GraphQLTypeSystem

    func resolve(_ request: GraphQLFieldRequest<Int>) async throws -> [GraphQLResolved<Int>] {
        let use = try #require(type(of: request.field, in: request.type))
        let field = "\(request.type).\(request.field)\(JSONValue.object(request.arguments).bytes.text)"
        return request.objects.map { object in
            let number = mixed(object, field)
            return number % 19 == 0 ? .failure(GraphQLFieldFault("no value")) : resolved(use, number)
        }
    }

    private func type(of field: String, in type: String) -> GraphQLTypeSystem.TypeUse? {
        guard let definition = system.types.first(where: { $0.name == type }) else { return nil }
        let fields = Int(definition.fields.first)..<Int(definition.fields.end)
        return fields.first { system.fieldTexts[$0].name == field }.map { system.fields[$0].type }
    }

    private func mixed(_ number: Int, _ text: String) -> Int {
        text.utf8.reduce(number) { ($0 * 31 + Int($1)) % 1009 }
    }

    private func resolved(_ use: GraphQLTypeSystem.TypeUse, _ number: Int) -> GraphQLResolved<Int> {
        let use = use.nullable
        if number % 17 == 0 { return .null }
        if use.isList { return .list((0..<number % 3).map { resolved(use.inner, mixed(number, String($0))) }) }
        let definition = system.types[Int(use.type)]
        switch definition.kind {
        case .enumeration:
            let values = system.enumValues[Int(definition.enumValues.first)..<Int(definition.enumValues.end)]
            return .value(.string(values[values.startIndex + number % values.count].name))
        case .scalar:
            switch definition.name {
            case "Int": return .value(.integer(Int64(number)))
            case "Float": return .value(.number(Double(number) + 0.5))
            case "Boolean": return .value(.boolean(number % 2 == 1))
            default: return .value(.string("\(definition.name) \(number)"))
            }
        default:
            let possible = definition.possibleTypes.map { system.types[Int($0)].name }.sorted()
            return .object(number, type: possible.isEmpty ? definition.name : possible[number % possible.count])
        }
    }
}
