// The texts of signing in, and of what became of words, in English.

extension Words {
    static let englishPhone = """
        callSeenNoTime = You saw the call at {time}. The server did not take that, because the clocks \
        of this phone and the server differ.
        callSeenRefused = You saw the call at {time}. The server did not take that: {reason}
        declarationsSayAgain = {what}: not taken, because the clocks of this phone and the server \
        differ. Say it again.
        problemSignIn = sign in again
        signInAskDo = Use this server
        signInAskHost = Sign in at {host}?
        signInAskWhat = The code or link leads to this server. Use it only if it is the one of your \
        organisation: it learns your password.
        signInInsecure = The address begins with http: others could read your password. Use an address \
        with https.
        statusCallNotSent = Call not sent
        statusWas = Was “{state}” at {time}
        """
}
