/// Who put a rule, or a target, last: what an admin made ends with the admin's right to it.
enum MakerColumns {
    /// Those of before have no maker.
    static let schema = """
        ALTER TABLE rules ADD COLUMN maker INTEGER;
        ALTER TABLE targets ADD COLUMN maker INTEGER;
        """
}
