import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

const NAME = 'Sluice';

/**
 * Heading of the page, which may come after its data: it names the browser's tab, and takes the focus when somebody goes to another page,
 * so that screen readers tell which one it is, and Tab goes on in the page.
 */
export function useHeading(): void {
  const router = useRouter();
  useEffect(() => {
    /** Where the focus was on arrival; absent: the heading has it, or somebody took it further. */
    let from: { focused: Element | null } | undefined;
    const look = () => {
      const heading = document.querySelector<HTMLElement>('main h1');
      const text = heading?.textContent.trim();
      const title = text ? `${text} · ${NAME}` : NAME;
      if (document.title !== title) document.title = title;
      // A dialog that closes would take the focus back.
      if (!from || !heading || document.querySelector('[role=dialog], [role=menu]')) return;
      if (isStill(from.focused)) {
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
      }
      from = undefined;
    };
    const stop = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      // The browser itself tells about the first page.
      if (fromLocation && pathChanged) from = { focused: document.activeElement };
      look();
    });
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, characterData: true, subtree: true });
    look();
    return () => {
      stop();
      observer.disconnect();
    };
  }, [router]);
}

/** Whether the focus is where it was, or nowhere; a field of the page that has it keeps it. */
function isStill(focused: Element | null): boolean {
  const { activeElement: now, body } = document;
  return now === null || now === body || (now === focused && !now.closest('main'));
}
