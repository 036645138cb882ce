/** schemathesis' own settings: credentials by the schemes of the document. */
import type { Workplace } from '../authorization/operations/workplace.ts';

/** @param session headers of somebody who is logged in */
export function configurationText({ key, ours }: Workplace, session: Readonly<Record<string, string>>): string {
  const sessionid = /sessionid=([^;]+)/.exec(session['Cookie'] ?? '')?.[1] ?? '';
  const credentials = {
    apiKey: { bearer: key },
    session: { api_key: sessionid },
    csrf: { api_key: session['X-CSRFToken'] },
    projectKey: { bearer: ours.apiToken },
    projectKeyHeader: { api_key: ours.apiToken },
  };
  return Object.entries(credentials)
    .map(([scheme, fields]) =>
      [
        `[auth.openapi.${scheme}]`,
        ...Object.entries(fields).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
      ].join('\n'),
    )
    .join('\n\n');
}
