/** The console: mounts the pages under the address of the browser. */
import './look/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { ChunkError } from './chunks/lazy-chunk.ts';
import { logInByLink } from './session/log-in-by-link.ts';
import { applyDensity } from './shell/density.ts';

applyDensity();
// Before any request, because the link begins the session that the pages need.
await logInByLink();

createRoot(document.getElementById('root')!, {
  onCaughtError(error) {
    // The page itself reports code that did not load.
    if (!(error instanceof ChunkError)) console.error(error);
  },
}).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
