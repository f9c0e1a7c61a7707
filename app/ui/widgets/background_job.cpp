#include "app/ui/widgets/background_job.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace headway::ui {

bool BackgroundJob::start(std::string what, Work work) {
    if (busy()) {
        return false;
    }
    what_ = std::move(what);
    cancelled_.store(false);
    done_.store(false);
    percent_.store(0);
    result_.reset();
    thread_ = std::jthread([this, work = std::move(work)] {
        pthread_setname_np(pthread_self(), "picture");
        result_ = work([this](double share) {
            percent_.store(static_cast<int>(std::clamp(share, 0.0, 1.0) * 100));
            return !cancelled_.load();
        });
        done_.store(true);
        if (wake_) {
            wake_();
        }
    });
    return true;
}

std::optional<core::Result<std::string>> BackgroundJob::take() {
    if (!busy() || !done_.load()) {
        return std::nullopt;
    }
    thread_.join();
    return std::exchange(result_, std::nullopt);
}

}  // namespace headway::ui
