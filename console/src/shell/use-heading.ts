import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

const NAME = 'Sluice';

/**
 * Watches for the page's heading, which may appear only after its data. The heading names the browser's tab. After navigation to another
 * page it takes the focus: screen readers then announce the page, and Tab continues in it.
 */
export function useHeading(): void {
  const router = useRouter();
  useEffect(() => {
    /** The focused element on arrival; undefined once the focus was moved to the heading, or by the user. */
    let arrival: { focused: Element | null } | undefined;
    const update = () => {
      const heading = document.querySelector<HTMLElement>('main h1');
      const text = heading?.textContent.trim();
      const title = text ? `${text} · ${NAME}` : NAME;
      if (document.title !== title) document.title = title;
      // A dialog that closes would take the focus back.
      if (!arrival || !heading || document.querySelector('[role=dialog], [role=menu]')) return;
      if (isFocusUnmoved(arrival.focused)) {
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
      }
      arrival = undefined;
    };
    const stop = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      // Screen readers announce the first page themselves.
      if (fromLocation && pathChanged) arrival = { focused: document.activeElement };
      update();
    });
    const observer = new MutationObserver(update);
    observer.observe(document.body, { childList: true, characterData: true, subtree: true });
    update();
    return () => {
      stop();
      observer.disconnect();
    };
  }, [router]);
}

/** Whether the focus has not moved since arrival; a field of the new page keeps it. */
function isFocusUnmoved(focused: Element | null): boolean {
  const { activeElement: now, body } = document;
  return now === null || now === body || (now === focused && !now.closest('main'));
}
