// Parts of a page that may wait: with news of 400 tenants each is drawn in a task of its own, so that no frame is late.

import type { ComponentType } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { SiteContext, useSite } from "./site";

/** Draws `of` at once when the page comes, and a task after the rest of it whenever there is something new. */
export function Later({ of: Part }: { of: ComponentType }) {
  const site = useSite();
  const [shown, setShown] = useState(site);
  useEffect(() => {
    if (shown === site) return;
    const timer = setTimeout(() => setShown(site));
    return () => clearTimeout(timer);
  }, [site]);
  // The same element each time: what is drawn again is drawn because `shown` changed, not because the page was.
  const part = useMemo(() => <Part />, [Part]);
  return <SiteContext.Provider value={shown}>{part}</SiteContext.Provider>;
}
