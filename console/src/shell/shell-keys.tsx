/** Keys that every page answers to, and the two dialogs that they open. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Chunk } from '../chunks/chunk.tsx';
import { lazyChunk } from '../chunks/lazy-chunk.ts';
import { useKeys } from '../keys/keys.ts';
import { COPY_REQUEST, copyRequest } from '../look/copy.tsx';
import { showNotice } from '../look/notice.tsx';
import { switchZone, viewerZone } from '../look/time.tsx';
import { usePageRequest } from './page-request.ts';

const Palette = lazyChunk(() => import('./palette/palette.tsx'), 'Palette');
const HelpDialog = lazyChunk(() => import('./help-dialog.tsx'), 'HelpDialog');

type Open = 'palette' | 'help';

export function ShellKeys({ projectId }: { projectId: number | undefined }) {
  const [open, setOpen] = useState<Open>();
  const navigate = useNavigate();
  const path = usePageRequest();
  useEffect(() => {
    // Preloaded with the first key, which often is the ⌘ or Ctrl before K: letters typed while the palette's code loads would be lost.
    addEventListener('keydown', preloadPalette, { once: true });
    return () => removeEventListener('keydown', preloadPalette);
  }, []);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isShortcut = (event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === 'k';
      if (!isShortcut || document.querySelector('[role=dialog]')) return;
      event.preventDefault();
      setOpen('palette');
    };
    const onRequest = () => setOpen('palette');
    addEventListener('keydown', onKeyDown);
    addEventListener(OPEN_PALETTE, onRequest);
    return () => {
      removeEventListener('keydown', onKeyDown);
      removeEventListener(OPEN_PALETTE, onRequest);
    };
  }, []);
  const go = (to: '/project/$projectId/exports' | '/project/$projectId/flags' | '/project/$projectId/dashboards') =>
    void navigate({ to, params: { projectId: projectId! } });
  const keys = {
    ...(projectId !== undefined && {
      'g e': { does: 'Go to exports', run: () => go('/project/$projectId/exports') },
      'g f': { does: 'Go to flags', run: () => go('/project/$projectId/flags') },
      'g d': { does: 'Go to dashboards', run: () => go('/project/$projectId/dashboards') },
    }),
    ...(path !== undefined && { c: { does: COPY_REQUEST, run: () => void copyRequest(path) } }),
    ...(viewerZone !== 'UTC' && {
      u: {
        does: 'Show times in UTC, or in your zone',
        run: () => showNotice({ text: `Times are in ${switchZone()}.` }),
      },
    }),
    '?': { does: 'Show keyboard shortcuts', run: () => setOpen('help') },
  };
  useKeys(keys, { onAllPages: true });
  const close = () => setOpen(undefined);
  if (!open) return null;
  return (
    <Chunk onClose={close}>
      {open === 'palette' ? <Palette projectId={projectId} onClose={close} /> : <HelpDialog onClose={close} />}
    </Chunk>
  );
}

/** Loads the code of the palette before it is opened. */
export const preloadPalette = (): void => void Palette.preload?.();

const OPEN_PALETTE = 'sluice:palette';
/** Opens the palette. For the button in the header, which names the shortcut. */
export const openPalette = (): boolean => dispatchEvent(new Event(OPEN_PALETTE));
