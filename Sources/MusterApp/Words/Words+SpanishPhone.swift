// The texts of signing in, and of what became of words, in Spanish.

extension Words {
    static let spanishPhone = """
        callSeenNoTime = Vio el aviso: {time}. El servidor no lo aceptó, porque los relojes de este \
        teléfono y del servidor difieren.
        callSeenRefused = Vio el aviso: {time}. El servidor no lo aceptó: {reason}
        declarationsSayAgain = {what}: no se aceptó, porque los relojes de este teléfono y del servidor \
        difieren. Dígalo de nuevo.
        problemSignIn = inicie sesión de nuevo
        signInAskDo = Usar este servidor
        signInAskHost = ¿Iniciar sesión en {host}?
        signInAskWhat = El código o enlace lleva a este servidor. Úselo solo si es el de su \
        organización: conocerá su contraseña.
        signInInsecure = La dirección empieza por http: otros podrían leer su contraseña. Use una \
        dirección con https.
        statusCallNotSent = Petición de ayuda sin enviar
        statusWas = Era «{state}» ({time})
        """
}
