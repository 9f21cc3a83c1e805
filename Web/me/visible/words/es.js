/** The words of who sees the person in Spanish. */
export default Object.freeze({
    "me.visible.label": "Quién puede ver dónde está",
    "me.visible.leader": "{name}, responsable de su equipo",
    "me.visible.analyst": "{name}, analista",
    "me.visible.admin": "{name}, administra el servidor",
    "me.visible.token": "Quien tenga un token de su dispositivo {device}",
    "me.visible.madeBy": "de {name}",
    "me.visible.link": "Quien tenga un enlace",
    "me.visible.link.person": "Quien tenga un enlace que le muestra a usted",
    "me.visible.link.incident": "Quien tenga un enlace al incidente",
    "me.visible.until": "hasta {time}",
    "me.visible.nobody": "Nadie más que usted.",
    "me.visible.old": "Este servidor es demasiado antiguo para decir quién le ve.",
    "me.visible.offline": "Eso solo lo sabe el servidor, y no hay conexión con él.",
    "me.visible.before": "Es lo que dijo el servidor antes de perderse la conexión. Puede haber cambiado.",
    "me.visible.pause": "Pausa",
    "me.visible.what": "Durante un rato esta aplicación no registra su posición, y sus responsables leen por qué no "
        + "hay señal de usted. Lo que comunique otra aplicación u otro dispositivo suyo se ve como siempre.",
    "me.visible.note": "Por qué, si quiere: lo leen sus responsables",
    "me.visible.minutes30": "30 minutos", "me.visible.minutes60": "1 hora", "me.visible.minutes240": "4 horas",
    "me.visible.paused": "Está en pausa hasta {time}, y sus responsables lo leen. Hasta entonces esta aplicación no "
        + "registra su posición.",
    "me.visible.pausedUrgent": "Está en pausa hasta {time}, y sus responsables lo leen. Esta aplicación comunica su "
        + "posición de todos modos, porque le llaman, pide ayuda o su reporte está atrasado.",
    "me.visible.pausedSilent": "Está en pausa hasta {time}, y sus responsables lo leen. Esta aplicación no comunica su "
        + "posición.",
    "me.visible.end": "Terminar la pausa",
    "me.visible.orderPause": "pausa hasta {time}",
    "me.visible.orderEnd": "terminar la pausa",
});
