/** Faults of HTTP receivers, by the status of their answers. */
import { codesByRawCode, errorMaker, type KnownFault } from '../faults.ts';
import { networkFaults } from '../network-faults.ts';

export const HTTP_FAULTS = {
  body_refused: {
    owner: 'you',
    field: 'body_format',
    final: true,
    sentence: 'The receiver does not accept the body.',
    rawCodes: [400, 422],
  },
  token_refused: {
    owner: 'you',
    field: 'token',
    final: true,
    sentence: 'The receiver does not accept the token.',
    rawCodes: [401],
  },
  request_forbidden: {
    owner: 'you',
    field: 'token',
    final: true,
    sentence:
      'The receiver forbids the request: the token may lack a permission, or the receiver expects other addresses or headers.',
    rawCodes: [403],
  },
  url_not_found: {
    owner: 'you',
    field: 'url',
    final: true,
    sentence: 'The receiver does not accept POST requests at this URL.',
    rawCodes: [404, 405, 410],
  },
  redirected: {
    owner: 'you',
    field: 'url',
    final: true,
    sentence: 'The receiver redirects to another URL. Redirects are not followed: enter that URL.',
    rawCodes: [301, 302, 303, 307, 308],
  },
  batch_too_large: {
    owner: 'you',
    field: 'max_batch_mb',
    final: true,
    sentence: 'A batch is larger than the receiver accepts.',
    rawCodes: [413],
  },
  media_type_refused: {
    owner: 'you',
    field: 'headers',
    final: true,
    sentence: 'The receiver does not accept this content type or this content encoding.',
    rawCodes: [415],
  },
  rows_refused: {
    owner: 'you',
    field: 'body_format',
    final: true,
    sentence: 'The receiver stored a batch without some of its events.',
  },
  columns_missing: {
    owner: 'you',
    field: 'body_format',
    final: true,
    sentence: 'The capture format needs columns that the export does not have.',
  },
  request_refused: { owner: 'you', field: 'url', final: true, sentence: 'The receiver refused the request.' },
  receiver_timed_out: {
    owner: 'destination',
    sentence: 'The receiver waited too long for the request.',
    rawCodes: [408],
  },
  slow_down: { owner: 'destination', sentence: 'The receiver is throttling requests.', rawCodes: [429] },
  receiver_unavailable: { owner: 'destination', sentence: 'The receiver cannot answer at the moment.' },
  ...networkFaults({ hostField: 'url', unreachable: 'The receiver cannot be reached.' }),
} as const satisfies Record<string, KnownFault>;

export const httpFault = errorMaker(HTTP_FAULTS);

const BY_STATUS = codesByRawCode(HTTP_FAULTS);

/** The error of an answer that is not 2xx. */
export function statusFault(status: number): ReturnType<typeof httpFault> {
  const unnamed = status >= 400 && status < 500 ? 'request_refused' : 'receiver_unavailable';
  const code = BY_STATUS.get(status) ?? unnamed;
  const { sentence }: KnownFault = HTTP_FAULTS[code];
  return httpFault(code, { sentence: sentence.replace(/\.$/, ` (status ${status}).`) });
}
