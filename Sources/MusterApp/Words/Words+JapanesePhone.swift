// The texts of signing in, and of what became of words, in Japanese.

extension Words {
    static let japanesePhone = """
        callSeenNoTime = {time}に呼びかけを見ました。この端末とサーバーの時計が異なるため、サーバーは受け付けませんでした。
        callSeenRefused = {time}に呼びかけを見ました。サーバーは受け付けませんでした: {reason}
        declarationsSayAgain = {what}: この端末とサーバーの時計が異なるため、受け付けられませんでした。もう一度伝えてください。
        problemSignIn = もう一度サインインしてください
        signInAskDo = このサーバーを使う
        signInAskHost = {host}にサインインしますか？
        signInAskWhat = このコードまたはリンクの行き先はこのサーバーです。所属する組織のサーバーである場合だけ使ってください。パスワードがこのサーバーに伝わります。
        signInInsecure = アドレスがhttpで始まっています。パスワードを他人に読まれるおそれがあります。httpsのアドレスを使ってください。
        statusCallNotSent = 救助要請は未送信
        statusWas = {time}時点: {state}
        """
}
