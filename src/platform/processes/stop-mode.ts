/** `graceful` finishes what is under way; `immediate` ends at once, like a crash, without losing committed data. */
export type StopMode = 'graceful' | 'immediate';
