/** Milliseconds, of a duration or since 1970. */
export type Millis = number;
