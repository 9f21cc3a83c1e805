/// The user who put a rule or a target last. The rule or target ends when that user's right to it ends.
enum MakerColumns {
    /// Existing rules and targets have no maker.
    static let schema = """
        ALTER TABLE rules ADD COLUMN maker INTEGER;
        ALTER TABLE targets ADD COLUMN maker INTEGER;
        """
}
