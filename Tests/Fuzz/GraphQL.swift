import Glibc
import MusterWire

/// A request of GraphQL, or a schema, is read and checked, or refused with errors at places of its text, and neither
/// takes long. The first line is the variables, the rest the document; a document that is a schema is built, and is the
/// same when it is printed and built again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? size
    let line = try? JSONValue(parsing: UnsafeRawBufferPointer(rebasing: bytes[..<end]), depthLimit: 40)
    let variables = line?.members ?? []
    let rest = bytes[(line?.members == nil ? 0 : min(end + 1, size))...]
    let text = String(decoding: rest, as: UTF8.self)
    let begin = processorSeconds()
    checkRequest(text, variables)
    checkSchema(text)
    // Far more than it takes, even with the sanitizer's checks: no text of 4 kB costs a second.
    precondition(processorSeconds() - begin < 1, "it takes too long")
    return 0
}

/// The time for which the process has computed.
private func processorSeconds() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

private func checkRequest(_ text: String, _ variables: [JSONValue.Member]) {
    do throws(GraphQLErrors) {
        let request = try GraphQLRequest(text, schema: schema)
        for name in request.operationNames {
            do throws(GraphQLErrors) {
                let operation = try GraphQLOperation(request, named: name, variables: variables)
                if operation.kind == .subscription { _ = try operation.subscriptionField() }
            } catch {
                check(error, text)
            }
        }
    } catch {
        check(error, text)
    }
}

private func checkSchema(_ text: String) {
    do throws(GraphQLErrors) {
        let printed = try GraphQLSchema(text).source
        guard try GraphQLSchema(printed).source == printed else { fatalError("not the same when printed again") }
    } catch {
        check(error, text)
    }
}

/// There are errors, not too many, each with a sentence, and at places that the text has.
private func check(_ errors: GraphQLErrors, _ text: String) {
    precondition((1...GraphQLLimits().errors + 1).contains(errors.errors.count))
    let lines = text.unicodeScalars.count { $0 == "\n" || $0 == "\r" } + 1
    for error in errors.errors {
        precondition(!error.message.isEmpty && error.message.utf8.count < 4_096)
        for place in error.locations {
            precondition((1...lines).contains(place.line))
            precondition((1...text.unicodeScalars.count + 1).contains(place.column))
        }
        guard (try? JSONValue(parsing: error.json.bytes, depthLimit: 64)) == error.json else {
            fatalError("an error is not the JSON that was meant")
        }
    }
}

private let schema: GraphQLSchema = {
    let source = """
        scalar Moment @specifiedBy(url: "https://example.org/moment")
        interface Node { id: ID! }
        enum Role { ADMIN LEADER MEMBER @deprecated(reason: "use LEADER") }
        type Person implements Node {
          id: ID!
          name(upper: Boolean = false): String!
          age: Int
          role: Role
          team: Team
          friends(limit: Int = 10): [Person!]!
        }
        type Team implements Node { id: ID!, name: String!, people(filter: Filter): [Person], lead: Person! }
        union Thing = Person | Team
        input Filter { name: String, minAge: Int = 0, roles: [Role!], not: Filter }
        input NewPerson { name: String!, role: Role! = MEMBER, tags: [String!]! = ["a"] }
        type Query {
          person(id: ID!): Person
          people(first: Int): [Person]
          things: [Thing]
          echo(value: Filter, list: [Int!], moment: Moment, float: Float, id: ID): String
        }
        type Mutation { create(input: NewPerson!): Person, count(by: Int! = 1): Int! }
        type Subscription { changed(id: ID): Person, ticks: Int! }
        directive @note(text: String!) repeatable on FIELD | QUERY
        """
    do throws(GraphQLErrors) {
        return try GraphQLSchema(source)
    } catch {
        fatalError("the fuzzer's schema is faulty: \(error.errors.map(\.message))")
    }
}()
