/** The words of the timer. */
export default Object.freeze({
    "me.timer.label": "Temporizador para reportarse",
});
