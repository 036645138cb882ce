/** How the parts went. `type` is the class of the error that ended them, `message` a sentence for the user. */
export type RunEnding = { how: 'commit' } | { how: 'cancelled' } | { how: 'failed'; type: string; message: string };
