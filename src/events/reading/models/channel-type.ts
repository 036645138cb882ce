/**
 * The source of a session, in upstream's words and by its rules: paid sources first, then the medium, then the
 * referrer. Upstream knows thousands of domains; this knows the families of the large ones.
 */

const SEARCH = 'google|bing|duckduckgo|yahoo|ecosia|baidu|yandex|naver|qwant|startpage|brave|kagi|seznam';
const SOCIAL =
  'facebook|fb|instagram|ig|twitter|linkedin|pinterest|reddit|tiktok|threads|mastodon|bsky|snapchat|vk|weibo|quora|discord|whatsapp|telegram';
const VIDEO = 'youtube|vimeo|twitch|dailymotion|bilibili';
const SHOPPING = 'amazon|ebay|etsy|alibaba|aliexpress|walmart|shopify|shop';

/** @returns SQL that tests whether the source or the referring domain belongs to a family; `otherDomains` are further whole domains, as a regular expression */
function isFrom(family: string, otherDomains = ''): string {
  return `(source ~ '^(${family})' or referrer ~ '(^|[.])((${family})[.]${otherDomains})')`;
}

/** Includes the short domains of one network. */
const IS_SOCIAL = isFrom(SOCIAL, '|t[.]co$|x[.]com$');

/** SQL of type text over the columns of a session; null where nothing is known of it. */
export const CHANNEL_TYPE = `(select case
  when campaign like '%cross-network%' then 'Cross Network'
  when is_paid and ${isFrom(SEARCH)} then 'Paid Search'
  when is_paid and ${isFrom(SHOPPING)} then 'Paid Shopping'
  when is_paid and ${IS_SOCIAL} then 'Paid Social'
  when is_paid and ${isFrom(VIDEO)} then 'Paid Video'
  when is_paid then 'Paid Unknown'
  when referrer = '$direct' and source is null and medium is null then 'Direct'
  when medium ~ '^(e[-_ ]?mail|newsletter)$' or source ~ '^(e[-_ ]?mail|newsletter)$' then 'Email'
  when medium = 'affiliate' then 'Affiliate'
  when medium = 'audio' then 'Audio'
  when medium = 'sms' or source = 'sms' then 'SMS'
  when medium ~ 'push$' or medium in ('mobile', 'notification') then 'Push'
  when medium in ('display', 'banner', 'expandable', 'interstitial', 'cpm') then 'Display'
  when ${isFrom(SHOPPING)} then 'Organic Shopping'
  when ${IS_SOCIAL} or medium ~ '^social' then 'Organic Social'
  when ${isFrom(VIDEO)} or medium like '%video%' then 'Organic Video'
  when ${isFrom(SEARCH)} or medium = 'organic' then 'Organic Search'
  when medium = 'referral' or (referrer is not null and referrer <> '$direct') then 'Referral'
  when source is not null or medium is not null then 'Unknown'
  else null end
from (select lower(entry_utm_source) as source, lower(entry_utm_medium) as medium, lower(entry_utm_campaign) as campaign,
  lower(entry_referring_domain) as referrer,
  entry_gclid is not null or entry_gad_source is not null
    or coalesce(lower(entry_utm_medium) ~ '^(.*cp[acm].*|ppc|retargeting|paid.*)$', false) as is_paid) as clues)`;
