/** Teeth of the streams of changes: access, and no gap that a client does not notice. */
import type { Tooth } from '../tooth.ts';

export const LIVE_TEETH: readonly Tooth[] = [
  {
    name: 'live-visible',
    guards: 'no event is sent about an export that access rules hide',
    tests: ['test/exports/live/access.test.ts'],
    grep: 'that rules hide',
    replace: ['change === null', 'true'],
  },
  {
    name: 'live-ends-with-access',
    guards: 'a stream ends with the session, key or membership that opened it',
    tests: ['test/exports/live/access.test.ts'],
    grep: 'ends, or falls silent',
  },
  {
    name: 'live-checked',
    guards: 'nothing is sent while the caller’s access is not known',
    tests: ['test/exports/live/streams.test.ts'],
    grep: 'where rights cannot be looked up',
    replace: ['!isChecked(listener)', 'false'],
  },
  {
    name: 'live-epoch',
    guards: 'a client that reconnects is told when events may be missing',
    tests: ['test/exports/live/streams.test.ts'],
    grep: 'a reset for an id',
  },
  {
    name: 'live-unread',
    guards: 'clients that do not read do not fill the memory of the API',
    tests: ['test/exports/live/streams.test.ts'],
    grep: 'does not read',
  },
];
