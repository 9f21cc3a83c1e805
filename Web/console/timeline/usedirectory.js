/**
 * Who is in which team and crew. People move all the time, and change their teams hardly ever: a component that needs
 * no more than these is drawn again only when the state was loaded anew, or somebody was added.
 */
import { useMemo, usePage, useSlice } from "../shared/view.js";

/** @returns {Map<string, {team?: string, crew?: string}>} by user; the same value as long as nobody's team changed */
export function useDirectory() {
    const { store } = usePage();
    const { snapshot, size } = useSlice(({ live }) => ({ snapshot: live.presenceSequence, size: live.members.size }));
    return useMemo(() => store.value.live.members, [snapshot, size]);
}
