/** The words of an incident's call in Spanish. */
export default Object.freeze({
    "me.call.label": "Lo que se pide",
    "me.call.real": "Evacúe",
    "me.call.drill": "Simulacro: evacúe",
    "me.call.line": "Equipo {team}, desde {time}",
    "me.call.do": "Vaya ahora al punto de reunión.",
    "me.call.doDrill": "Es un simulacro. Vaya al punto de reunión como en una emergencia.",
    "me.call.acknowledge": "Lo he visto",
    "me.call.means": "Indica a sus responsables que el aviso le llegó, no que esté a salvo.",
    "me.call.seen": "Vio el aviso: {time}.",
    "me.call.seenHere": "Vio el aviso: {time}. Eso está en este teléfono, aún sin enviar.",
    "me.call.announced": "Se avisó a su equipo de que evacúe. Este teléfono aún no sabe más del servidor.",
    "me.call.over": "El aviso que recibió ya terminó.",
    "me.call.way": "Mostrarme el camino",
});
