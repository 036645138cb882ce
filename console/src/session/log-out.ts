import { api, ApiError, unwrap, messageOf } from '../api/client.ts';
import { showNotice } from '../look/notice.tsx';

/** Logs out and reloads, so that no data of the session stays in memory. */
export async function logOut(): Promise<void> {
  try {
    await unwrap(api.POST('/api/logout/'));
  } catch (error) {
    // Status 401: the session has ended already.
    if (!(error instanceof ApiError && error.status === 401)) return showNotice({ text: messageOf(error) });
  }
  location.assign('/login');
}
