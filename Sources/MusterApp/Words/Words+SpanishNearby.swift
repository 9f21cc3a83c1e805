// The texts of the people nearby in Spanish.

extension Words {
    static let spanishNearby = """
        nearbyAllow = Permitir
        nearbyAsks = {name} está cerca y quiere ver a qué distancia estás
        nearbyFailed = Este teléfono no puede medir a nadie ahora. Vuelve a abrir esta parte.
        nearbyNoDirection = Sin dirección
        nearbyNoDistance = Aún sin distancia
        nearbyNobody = Aún no se ha encontrado a nadie. La otra persona también debe abrir esta parte.
        nearbyRefuse = No permitir
        nearbyTitle = Personas cercanas
        nearbyWhat = A qué distancia está alguien y en qué dirección, de teléfono a teléfono. \
        Funciona mientras esta parte está abierta.
        """
}
