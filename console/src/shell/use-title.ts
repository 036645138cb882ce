import { useEffect } from 'react';

const NAME = 'Sluice';

/** Names the browser's tab after the heading of the page, which may come after its data. */
export function useTitle(): void {
  useEffect(() => {
    const page = document.getElementById('page');
    if (!page) return;
    const name = () => {
      const heading = page.querySelector('h1')?.textContent.trim();
      const title = heading ? `${heading} · ${NAME}` : NAME;
      if (document.title !== title) document.title = title;
    };
    name();
    const observer = new MutationObserver(name);
    observer.observe(page, { childList: true, characterData: true, subtree: true });
    return () => observer.disconnect();
  }, []);
}
