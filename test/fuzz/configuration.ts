/** schemathesis' own settings: credentials by the schemes of the document. */
import { CAPTURE_PATHS, CSP_PATH, REPLAY_PATH, V1_PATH } from '../../src/events/capture/paths.ts';
import type { Workplace } from '../authorization/operations/workplace.ts';

/** Of what released SDKs send, these take what they can: an event that is none is told of in an answer with 200. */
const READ_LENIENTLY = [...CAPTURE_PATHS, V1_PATH, CSP_PATH, REPLAY_PATH, '/flags', '/decide'];

/** A case that hangs is a fault: fail it long before the run's own end. */
export const REQUEST_SECONDS = 20;

/**
 * A body that is too large by its schema is refused with 413. An operation without an example gets the least that its schema takes.
 * `positive_data_acceptance` cannot hold: operations refuse with 400 what no schema says, such as a name that is taken, a tile that is on
 * its dashboard already, a flag in use, another model than the export's, or a user who is not there. By its status that is no different
 * from a fault. That each operation takes something is asserted instead.
 */
const SETTINGS = `
[checks]
max_response_time = ${REQUEST_SECONDS}
positive_data_acceptance.enabled = false

[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 413, 415, 429, 431]

[phases.examples]
fill-missing = true

[[operations]]
include-path-regex = '^(${READ_LENIENTLY.map((path) => `${path}/`).join('|')})$'
checks.negative_data_rejection.enabled = false`;

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
  const schemes = Object.entries(credentials)
    .map(([scheme, fields]) =>
      [
        `[auth.openapi.${scheme}]`,
        ...Object.entries(fields).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
      ].join('\n'),
    )
    .join('\n\n');
  return [SETTINGS, schemes].join('\n\n');
}
