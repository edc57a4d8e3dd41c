// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * The upright axis of a picture: from zero, or logarithmic where the least value would be invisible
 * beside the greatest.
 */
record Scale(double from, double to, boolean isLogarithmic, List<Double> ticks) {
  private static final double TOO_FAR_APART = 30;

  static Scale of(List<Double> values) {
    double least = values.stream().filter(each -> each > 0).reduce(Math::min).orElse(1.0);
    double most = values.stream().reduce(least, Math::max);
    return most / least > TOO_FAR_APART ? logarithmic(least, most) : fromZero(most);
  }

  private static Scale logarithmic(double least, double most) {
    int from = (int) Math.floor(Math.log10(least));
    int to = (int) Math.ceil(Math.log10(most));
    List<Double> ticks = new ArrayList<>();
    for (int power = from; power <= to; power++) {
      ticks.add(Math.pow(10, power));
    }
    return new Scale(Math.pow(10, from), Math.pow(10, to), true, ticks);
  }

  /** With four to ten ticks at round values. */
  private static Scale fromZero(double most) {
    double power = Math.pow(10, Math.floor(Math.log10(most)) - 1);
    double step =
        DoubleStream.of(1, 2, 5, 10)
            .map(each -> each * power)
            .filter(each -> most / each <= 10)
            .min()
            .orElse(most);
    List<Double> ticks = new ArrayList<>();
    double top = Math.ceil(most / step) * step;
    for (int i = 0; i * step <= top * 1.0001; i++) {
      ticks.add(i * step);
    }
    return new Scale(0, top, false, ticks);
  }

  /** How far up this value is, from 0 to 1. */
  double share(double value) {
    double share =
        isLogarithmic ? Math.log(Math.max(value, from) / from) / Math.log(to / from) : value / to;
    return Math.min(1, share);
  }
}
