/** The words of tracking in Spanish. */
export default Object.freeze({
    "me.tracking.title": "Dónde está usted",
    "me.tracking.off": "No se informa de su posición.",
    "me.tracking.asking": "Esperando la primera posición. Si el navegador pregunta, permítala.",
    "me.tracking.on": "Se informa de su posición mientras esta página está abierta y la pantalla encendida.",
    "me.tracking.denied": "No se informa de su posición: el navegador no se la da a esta página. Permita la posición "
        + "para esta página en los ajustes del navegador, y para el navegador en los del teléfono.",
    "me.tracking.coarse": "Solo llegan posiciones aproximadas. Muestran dónde no puede estar, y nunca que está a "
        + "salvo. Permita la posición exacta en los ajustes del teléfono.",
    "me.tracking.frozen": "Ya no llegan posiciones nuevas. Mantenga la pantalla encendida; salga o acérquese a una "
        + "ventana.",
    "me.tracking.elsewhere": "Otra pestaña de este navegador informa de su posición.",
    "me.tracking.paused": "En pausa hasta {time}: esta aplicación no registra su posición. Después continúa por sí "
        + "sola, y enseguida si usted termina la pausa, en un incidente, si su reporte está atrasado o si pide ayuda.",
    "me.tracking.unsupported": "Esta página no recibe ninguna posición. Necesita https y un navegador que la conozca.",
    "me.tracking.turnOn": "Informar de mi posición",
    "me.tracking.turnOff": "Dejar de informar",
    "me.tracking.fix": "Posición de las {time}, con un margen de {length}",
    "me.tracking.fixOnly": "Posición de las {time}",
    "me.tracking.oldFix": "Última posición de las {time}: no ha llegado ninguna más nueva",
    "me.tracking.jumping": "Las posiciones saltan. Cuentan cuando concuerdan entre sí.",
    "me.tracking.waiting": {
        one: "{count} posición espera al servidor", other: "{count} posiciones esperan al servidor",
    },
    "me.tracking.nothingWaits": "Nada espera al servidor",
    "me.tracking.sentAt": "último envío a las {time}",
    "me.tracking.away": "No se alcanza el servidor. Lo que espera se envía por sí solo.",
    "me.tracking.busy": "El servidor no acepta nada ahora, y se le pregunta de nuevo: {reason}",
    "me.tracking.serverFull": "El servidor no tiene espacio, y se le pregunta de nuevo: {reason}",
    "me.tracking.signedOut": "Su sesión ha terminado. Las posiciones se siguen guardando aquí. Inicie sesión de nuevo "
        + "y se enviarán.",
    "me.tracking.forbidden": "El servidor no acepta posiciones suyas: {reason}",
    "me.tracking.noDevice": "El servidor no acepta este navegador como dispositivo suyo: {reason}",
    "me.tracking.noPosition": "El teléfono no puede determinar su posición ahora.",
    "me.tracking.again": "Intentar de nuevo",
    "me.tracking.storageFull": "Este teléfono ya no tiene espacio. Las posiciones nuevas esperan en la memoria de esta "
        + "página y se pierden al cerrarla. Libere espacio en el teléfono.",
    "me.tracking.storageUnavailable": "Este navegador no deja que la página guarde nada: lo que no se envió se pierde "
        + "al cerrarla. Salga del modo privado, o permita que este sitio guarde datos.",
    "me.tracking.storageFailed": "Este navegador no pudo guardar o leer posiciones: {reason}",
    "me.tracking.thinned": {
        one: "Se omitió {count} posición de {first} a {last} porque esperaban demasiadas: su recorrido es menos "
            + "detallado ahí.",
        other: "Se omitieron {count} posiciones de {first} a {last} porque esperaban demasiadas: su recorrido es menos "
            + "detallado ahí.",
    },
    "me.tracking.refused": {
        one: "El servidor no aceptó {count} posición. Se conserva en este teléfono.",
        other: "El servidor no aceptó {count} posiciones. Se conservan en este teléfono.",
    },
    "me.tracking.erased": {
        one: "El navegador borró {count} posición antes de enviarla.",
        other: "El navegador borró {count} posiciones antes de enviarlas.",
    },
    "me.tracking.lost": {
        one: "Se perdió {count} posición, porque no había espacio para ella.",
        other: "Se perdieron {count} posiciones, porque no había espacio para ellas.",
    },
    "me.tracking.clearTold": "Lo he leído: no guardarlo ni mostrarlo más",
    "me.tracking.awake": "Mantener la pantalla encendida mientras esta página está abierta",
    "me.tracking.awakeRefused": "El navegador no mantiene la pantalla encendida ahora; a menudo la batería está casi "
        + "vacía.",
    "me.tracking.awakeUnsupported": "Este navegador no puede mantener la pantalla encendida. Hágalo en los ajustes del "
        + "teléfono.",
    "me.tracking.kept": "El navegador conserva lo que guarda esta aplicación: {used} de {quota} MB.",
    "me.tracking.erasable": "El navegador puede borrar lo que guarda esta aplicación cuando al teléfono le falte "
        + "espacio: {used} de {quota} MB.",
    "me.tracking.keptUnknown": "El navegador no dice si conserva lo que guarda esta aplicación.",
    "me.tracking.nearlyFull": "Lo que el navegador deja guardar a esta aplicación está casi lleno: {used} de {quota} "
        + "MB.",
    "me.tracking.askKeep": "Pedir al navegador que lo conserve",
    "me.tracking.notKept": "El navegador no aceptó. Instalada en la pantalla de inicio, la aplicación se conserva más "
        + "a menudo.",
    "me.tracking.safari": {
        one: "Safari borra lo que guarda esta página, también lo que espera, si no la abre durante {count} día. "
            + "Compartir › Añadir a pantalla de inicio lo conserva.",
        other: "Safari borra lo que guarda esta página, también lo que espera, si no la abre durante {count} días. "
            + "Compartir › Añadir a pantalla de inicio lo conserva.",
    },
    "me.tracking.limits": "Lo que una página no puede hacer",
    "me.tracking.limitsLit": "No recibe ninguna posición mientras la pantalla está apagada, o mientras otra aplicación "
        + "u otra pestaña está delante.",
    "me.tracking.limitsClosed": "No hace nada una vez cerrada.",
    "me.tracking.limitsOwnTracks": "La aplicación gratuita OwnTracks informa de su posición en segundo plano, al mismo "
        + "servidor.",
    "me.tracking.setUp": "Configurar OwnTracks",
    "me.tracking.step1": "Instale OwnTracks y permita la configuración externa en sus ajustes.",
    "me.tracking.step2": "En este teléfono abra el enlace. En otro teléfono escanee el código con la cámara.",
    "me.tracking.step3": "Prohíba otra vez la configuración externa.",
    "me.tracking.openOwnTracks": "Abrir en OwnTracks",
    "me.tracking.code": "Código QR que configura OwnTracks para {name}",
    "me.tracking.secret": "El código es secreto: quien lo tenga puede informar posiciones como usted. Se muestra una "
        + "vez.",
    "me.tracking.ownHost": "Ningún otro dispositivo alcanza este servidor en {host}: en cada dispositivo, esa "
        + "dirección es él mismo. Abra esta aplicación en la dirección del servidor en su red o en Internet y "
        + "configure allí OwnTracks.",
    "me.tracking.clear": "Sin https, cualquiera puede leer por el camino el secreto del código y sus posiciones.",
    "me.tracking.hideCode": "Ocultar el código",
});
