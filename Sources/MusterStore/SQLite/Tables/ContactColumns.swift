/// The e-mail addresses and telephone numbers of users.
enum ContactColumns {
    /// Existing users have neither.
    static let schema = """
        ALTER TABLE users ADD COLUMN email TEXT;
        ALTER TABLE users ADD COLUMN phone TEXT;
        """
}
