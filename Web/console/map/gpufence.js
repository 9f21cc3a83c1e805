/**
 * When what a page asked of WebGL is drawn. A page only hands its pictures over: without a graphics card a program
 * draws them, the same that puts the page itself on the screen, and whatever the page shows next waits for it.
 */

const lookEveryMs = 4;
/** A picture that is not known to be drawn after this long is taken for drawn: its context may have been lost. */
const longestMs = 1000;

/**
 * Calls `act` once all that was asked of a context before is drawn. By WebGL 2.0, section 3.7.14 (sync objects).
 * WebGL 1 has no such objects: there a picture counts as drawn at once, and so does one of a context that was lost.
 * @param {WebGL2RenderingContext | WebGLRenderingContext} gl
 * @param {() => void} act
 * @param {() => number} [now] replaced in tests
 * @returns {() => void} gives the waiting up
 */
export function whenDrawn(gl, act, now = () => performance.now()) {
    const sync = gl.fenceSync?.(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const untilMs = now() + longestMs;
    let timer;
    const end = () => { if (sync) { gl.deleteSync(sync); } };
    const look = () => {
        if (sync && gl.getSyncParameter(sync, gl.SYNC_STATUS) === gl.UNSIGNALED && now() < untilMs) {
            timer = setTimeout(look, lookEveryMs);
            return;
        }
        end();
        act();
    };
    timer = setTimeout(look, lookEveryMs);
    return () => { clearTimeout(timer); end(); };
}
