/** Keeps ready who sees the person. A server that is too old to say hides the tab. */
import { faultWords } from "../../console/shared/faults.js";
import { readAllowsPause, readViewers } from "./viewers.js";

/**
 * Asks who sees the person as soon as the server is heard. If the server is too old to say, the tab is not shown.
 * @returns {() => void} ends the part; its member `look` asks again
 */
export function start({ store, request }) {
    const user = store.value.user.name;
    let isEnded = false;
    let wasLive = false;
    const look = async () => {
        const set = (parts) => {
            if (!isEnded) { store.set(({ viewers }) => ({ viewers: { ...viewers, ...parts } })); }
        };
        set({ isBusy: true, fault: "" });
        try {
            const [items, allowsPause] = await Promise.all([
                readViewers(request, user), readAllowsPause(request, store.value.own?.team)]);
            set({ items, allowsPause, isBusy: false, isUnknown: items === undefined && !allowsPause });
        } catch (error) {
            set({ isBusy: false, fault: faultWords(error) });
        }
    };
    const follow = ({ connection, own }) => {
        const isLive = connection.state === "live" && own !== undefined;
        if (isLive && !wasLive) { look(); }
        wasLive = isLive;
    };
    const unsubscribe = store.subscribe(follow);
    follow(store.value);
    const stop = () => {
        isEnded = true;
        unsubscribe();
        store.set({ viewers: {} });
    };
    return Object.assign(stop, { look });
}
