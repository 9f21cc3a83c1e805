import ArgumentParser

@main struct Muster: AsyncParsableCommand {}
