/** Names of events by which somebody might reach another folder, hide one, or break a key. */
// prettier-ignore
export const HOSTILE_NAMES: readonly string[] = [
  '/', '//', 'a/b', '/etc/passwd', '.', '..', '...', '../..', 'a/../b', '.hidden', 'ends.', 'ends..', '_', '__other__',
  '__manifests__', '_SUCCESS', '__HIVE_DEFAULT_PARTITION__', '%', '%2F', '%2f', '%25', 'a%2Fb', '~', 'a~b', '\\', 'a\\b', '\n',
  'a\nb', '\u0001', '\u007f', ' ', ' a', 'a ', 'a b', '\u00a0', '\u200b', '\u202e', 'ä', 'a\u0308', '\u00c4', 'İ', 'ı', 'ſ', 'K', 'ß', 'SS',
  '日本語', '🛒', '\u{e0001}', '\ufffe', '*', '?', '"', "'", '<', '>', '|', ':', ';', '=', 'a=b', '&', '#', '{event}', '{year}', '$0', '$&', '$pageview',
  'NUL', 'nul', 'con', 'Paid', 'paid', 'PAID', '__proto__', 'constructor', 'x'.repeat(200), 'x'.repeat(201), 'X'.repeat(200),
  '語'.repeat(200), '🛒'.repeat(100), `${'x'.repeat(166)}/${'y'.repeat(30)}`, `${'x'.repeat(165)}/${'y'.repeat(33)}`, '',
];
