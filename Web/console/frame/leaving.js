/** What is shown only once, and lost when somebody leaves it: nobody does so by any way without being asked. */
import { Dialog } from "../shared/dialog.js";
import { useUnsaved } from "../shared/forms.js";
import { html, useLayoutEffect, usePage, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";

/**
 * Holds the page while there is something to lose: the browser asks before it closes the tab, and the page before it
 * shows another screen.
 * @param {string|undefined} lost what would be lost, in words; undefined for nothing
 */
export function useAtStake(lost) {
    const { store } = usePage();
    useUnsaved(Boolean(lost));
    useLayoutEffect(() => {
        if (!lost) { return undefined; }
        const held = { lost };
        store.set(({ atStake }) => ({ atStake: [...atStake, held] }));
        return () => store.set(({ atStake }) => ({ atStake: atStake.filter((each) => each !== held) }));
    }, [lost]);
}

/**
 * A dialog that shows something once. Its ways out ask, until what it shows was copied or saved.
 * @param {{title: string, lost: string, onClose: () => void,
 *     children: (ways: {leave: (proceed?: () => void) => void, keep: () => void}) => object}} properties `leave`:
 *     closes it, or goes on otherwise; `keep`: call it when what is shown was copied or saved
 */
export function OnceDialog({ title, lost, onClose, children }) {
    const [isKept, setKept] = useState(false);
    /** Where somebody wants to go who is asked now. */
    const [wanted, setWanted] = useState();
    const atStake = isKept ? undefined : lost;
    useAtStake(atStake);
    const leave = (proceed = onClose) => { if (atStake) { setWanted({ proceed }); } else { proceed(); } };
    return html`<${Dialog} title=${title} isHeld=${Boolean(atStake)} onClose=${() => leave()}>
        ${children({ leave, keep: () => setKept(true) })}
        ${wanted && atStake && html`<${Losing} title=${t("leave.close")} lines=${[atStake]}
            button=${t("leave.doClose")} lose=${wanted.proceed} back=${() => setWanted(undefined)} />`}
    <//>`;
}

/** The question before something is lost. */
export function Losing({ title, lines, button, lose, back }) {
    return html`<${Dialog} title=${title} onClose=${back}>
        ${lines.map((words) => html`<p key=${words}>${words}</p>`)}
        <p class="answers"><button type="button" class="plain" onClick=${back}>${t("leave.back")}</button>
            <button type="button" class="primary danger" onClick=${lose}>${button}</button></p>
    <//>`;
}

/** The question of the page itself, where a link, the browser's Back or signing out would lose something. */
export function LeavingDialog() {
    const { leaving, atStake } = useSlice(({ leaving, atStake }) => ({ leaving, atStake }));
    const { store } = usePage();
    if (!leaving || atStake.length === 0) { return undefined; }
    const lose = () => {
        store.set({ leaving: undefined, atStake: [] });
        leaving.proceed();
    };
    return html`<${Losing} title=${t("leave.title")} lines=${atStake.map(({ lost }) => lost)}
        button=${t("leave.doLeave")} lose=${lose} back=${() => store.set({ leaving: undefined })} />`;
}
