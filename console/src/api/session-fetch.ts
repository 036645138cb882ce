/**
 * `fetch` for a session. It reads the CSRF token from its cookie for each request. If the server refuses a request because the session has
 * ended, or is too old for a sensitive change, it asks for the password and repeats the request: text typed into a form is never lost.
 */

/** Why the console asks for the password. */
export type PasswordReason = 'ended' | 'sensitive';

type AskForPassword = (reason: PasswordReason) => Promise<boolean>;

let askForPassword: AskForPassword | undefined;
let pendingPrompt: Promise<boolean> | undefined;

/** Registers the password prompt; without one, `sessionFetch` returns refusals. @returns a function that removes this prompt, but no later one */
export function onPasswordNeeded(prompt: AskForPassword): () => void {
  askForPassword = prompt;
  return () => {
    if (askForPassword === prompt) askForPassword = undefined;
  };
}

/** @returns whether the user logged in; several requests wait for one answer */
function ask(reason: PasswordReason): Promise<boolean> {
  if (!askForPassword) return Promise.resolve(false);
  pendingPrompt ??= askForPassword(reason).finally(() => (pendingPrompt = undefined));
  return pendingPrompt;
}

export async function sessionFetch(request: Request): Promise<Response> {
  const repeated = request.clone();
  const response = await send(request);
  const reason = await reasonToAsk(response);
  return reason && (await ask(reason)) ? send(repeated) : response;
}

const SAFE = ['GET', 'HEAD'];

function send(request: Request): Promise<Response> {
  if (!SAFE.includes(request.method)) request.headers.set('X-CSRFToken', csrfToken());
  return fetch(request);
}

async function reasonToAsk(response: Response): Promise<PasswordReason | undefined> {
  if (response.status === 401 && !/\/api\/(login|reset|signup)\//.test(response.url)) return 'ended';
  if (response.status !== 403) return undefined;
  const body = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { code?: string };
  return body.code === 'sensitive_action_required_reauth' ? 'sensitive' : undefined;
}

export function csrfToken(): string {
  const pair = document.cookie.split('; ').find((cookie) => cookie.startsWith('posthog_csrftoken='));
  return pair?.slice('posthog_csrftoken='.length) ?? '';
}
