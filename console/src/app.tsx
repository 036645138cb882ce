import { MutationCache, notifyManager, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { I18nProvider, RouterProvider as AriaRouterProvider } from 'react-aria-components';
import { ApiError } from './api/client.ts';
import { createAppRouter } from './router.tsx';
import { PasswordDialog } from './session/password-dialog.tsx';
import { Notices } from './look/notice.tsx';

// A request is pending at once, so that its button takes no second click: by default, only after a timeout.
notifyManager.setScheduler(queueMicrotask);

/** Retried twice: no answer (0), too many requests, or a server that is unavailable. Other errors would only repeat. */
const RETRIED = [0, 429, 502, 503, 504];

function createQueries(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache(),
    mutationCache: new MutationCache(),
    defaultOptions: {
      // A local server is reachable without a network, and a change that waited for the network would happen later, unnoticed.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        // By default, off in this mode.
        refetchOnReconnect: true,
        staleTime: 10_000,
        retry: (failures, error) => failures < 2 && error instanceof ApiError && RETRIED.includes(error.status),
      },
    },
  });
}

export function App() {
  const [queries] = useState(createQueries);
  const [router] = useState(() => createAppRouter(queries));
  return (
    <I18nProvider locale="en-GB">
      <QueryClientProvider client={queries}>
        <AriaRouterProvider navigate={(href) => void router.navigate({ href })}>
          <RouterProvider router={router} />
          <PasswordDialog />
          <Notices />
        </AriaRouterProvider>
      </QueryClientProvider>
    </I18nProvider>
  );
}
