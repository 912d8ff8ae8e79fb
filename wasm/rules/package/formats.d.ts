/**
 * To import it is to have what `komainu-rules` alone has not: `toString` and `losses` of records, `toSVG` of boards, JSON (JKF). It
 * exports nothing.
 */
export {};
