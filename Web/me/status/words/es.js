/** The words of the own state in Spanish. */
export default Object.freeze({
    "me.status.label": "Su estado",
    "me.status.nothingYet": "El servidor aún no ha dicho cómo le ve.",
    "me.status.says": "El servidor dice:",
    "me.status.said": "El servidor dijo {age} ({time}):",
    "me.status.mayHaveChanged": "Puede haber cambiado: este teléfono no tiene señal del servidor.",
    "me.status.callUnsent": "Su petición de ayuda sigue en este teléfono: lo que dice el servidor es anterior",
    "me.status.notFollowed": "No le sigue a usted: nadie sabe por él si está a salvo.",
    "me.status.source.region": "Su teléfono está dentro de {place}",
    "me.status.source.position": "Su teléfono no está en ningún punto de reunión",
    "me.status.source.silence": "Últimamente no hay señal de su teléfono",
    "me.status.source.unlocated": "No se conoce bien dónde está su teléfono",
    "me.status.source.seemsToHaveLeft": "Parece haber salido de {place}",
    "me.status.source.underReview": "Está calculando de nuevo dónde está, porque se editaron puntos de reunión",
    "me.status.source.ownDeclaration": "Lo dijo usted",
    "me.status.source.marked": "Lo dijo {name}",
    "me.status.source.checkInTimer": "No se reportó a tiempo",
    "me.status.doubt": "En duda: {doubt}",
    "me.status.paused": "Está en pausa hasta {time}, y sus responsables lo leen",
    "me.status.guessTitle": "Lo que supone este teléfono",
    "me.status.guess.inside": "Este teléfono cree que usted está dentro de {place}. El servidor no lo ha confirmado.",
    "me.status.guess.elsewhere": "Este teléfono cree que usted está dentro de {place}, y en ningún punto de reunión. "
        + "El servidor no lo ha confirmado.",
    "me.status.guess.outside": "Este teléfono cree que usted no está en ningún punto de reunión. El servidor no lo ha "
        + "confirmado.",
    "me.status.guess.calling": "Su petición de ayuda sigue vigente, esté donde esté.",
});
