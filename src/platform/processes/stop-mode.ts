/** `graceful` finishes what is under way; `immediate` ends at once, as a crash would, and loses nothing that was committed. */
export type StopMode = 'graceful' | 'immediate';
