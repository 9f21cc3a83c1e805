import ArgumentParser
import MusterGraphQL

/// What a developer of a GraphQL client needs.
struct GraphQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graphql", abstract: "Shows the schema of the server's GraphQL API.", subcommands: [Schema.self])

    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the schema that /graphql serves, for programs that make clients.")

        func run() { print(ServedSchema.source, terminator: "") }
    }
}
