/** The link that `npm start` and `sluice login` print: its token stands in the fragment, which browsers send to no server. */
import { api } from '../api/client.ts';

const PREFIX = '#sign-in=';

/** Begins a session if the address holds a token, and takes the token out of the address and the history. A used token leads to the log-in. */
export async function logInByLink(): Promise<void> {
  if (!location.hash.startsWith(PREFIX)) return;
  const token = location.hash.slice(PREFIX.length);
  history.replaceState(null, '', location.pathname + location.search);
  await api.POST('/api/login/link/', { body: { token } }).catch(() => {});
}
