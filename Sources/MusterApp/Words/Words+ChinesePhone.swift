// The texts of signing in, and of what became of words, in Chinese.

extension Words {
    static let chinesePhone = """
        callSeenNoTime = 您于 {time} 看到通知。此手机与服务器的时钟不一致，服务器未接受。
        callSeenRefused = 您于 {time} 看到通知。服务器未接受：{reason}
        declarationsSayAgain = {what}：未被接受，因为此手机与服务器的时钟不一致。请再说一次。
        problemSignIn = 请重新登录
        signInAskDo = 使用此服务器
        signInAskHost = 在 {host} 登录？
        signInAskWhat = 该二维码或链接指向此服务器。仅当它是您所在组织的服务器时才使用：它会得知您的密码。
        signInInsecure = 地址以 http 开头：他人可能读取您的密码。请使用 https 地址。
        statusCallNotSent = 求助未发送
        statusWas = {time} 时：{state}
        """
}
